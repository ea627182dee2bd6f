// The theme wraps tables and code after the page has loaded. Let the keyboard reach what scrolls, and let the wrappers
// around copy buttons be no landmarks: a page with twenty of them would have twenty navigations.
function mend() {
  for (const scroller of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) scroller.tabIndex = 0;
  for (const bar of document.querySelectorAll(".md-code__nav:not([role])")) bar.setAttribute("role", "presentation");
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
