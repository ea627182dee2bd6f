// Pages work without this file. It shows the message of a mistake without throwing away what was typed.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = event;
  if (detail.xhr.status < 400) return;
  const page = new DOMParser().parseFromString(detail.xhr.responseText, "text/html");
  const message = page.querySelector("#message .message, main .message");
  const box = document.getElementById("message");
  if (!box) return;
  detail.shouldSwap = false;
  detail.isError = false;
  box.replaceChildren(...(message ? [document.importNode(message, true)] : [document.createTextNode(page.body.textContent.trim())]));
  box.scrollIntoView({ block: "nearest" });
});

document.addEventListener("htmx:sendError", () => {
  const box = document.getElementById("message");
  const message = document.createElement("p");
  message.className = "message error";
  message.setAttribute("role", "alert");
  message.textContent = box.dataset.ended;
  box.replaceChildren(message);
});

// A button that was pressed is not pressed again while its page loads.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.hasAttribute("hx-post")) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "yes";
  const button = event.submitter;
  if (button && form.dataset.busy) button.textContent = form.dataset.busy;
});
window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));
