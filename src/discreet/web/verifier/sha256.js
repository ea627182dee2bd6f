// SHA-256 by the browser's own WebCrypto.

import { Failure } from "./failure.js";

/** Return the SHA-256 digest of bytes in hexadecimal digits. */
export async function sha256(bytes) {
  if (globalThis.crypto?.subtle === undefined) {
    throw new Failure("this browser computes digests only for pages from a file or from https; open the page there");
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
