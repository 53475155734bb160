/**
 * What the page does in the browser: it answers the chat's questions, and passes on that it is there, how many
 * messages nobody has seen, and its wish to be closed. It listens to
 * the chat's own window at the widget host, and answers there only; the page that holds it may but send the keyboard in. The visitor's id stays the same
 * from visit to visit where the browser keeps it, and for the life of the page where it does not.
 *
 * Kept as text, because it must not depend on what a compiler or a bundler would make of it.
 */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chat = document.getElementById("chat");
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  let rememberedId;

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function userId() {
    try {
      const stored = localStorage.getItem(data.storageKey);
      if (stored !== null && UUID.test(stored)) return stored;
      rememberedId ??= newId();
      localStorage.setItem(data.storageKey, rememberedId);
    } catch {
      rememberedId ??= newId();
    }
    return rememberedId;
  }

  function answerTo(type) {
    if (type === "get_widget") return { type: "widget", widget: data.widget };
    if (type === "get_customer") return { type: "customer", customer: { ...data.customer, user_id: userId() } };
    return undefined;
  }

  function newsOf(message, type) {
    if (type === "outbound:ready" || (type === "outbound:close" && data.showClose)) return { type };
    return type === "outbound:unread" ? { type, count: Number(message.count) } : undefined;
  }

  // To this page the chat may still have the keyboard from the last time, so it is given afresh.
  function enterChat() {
    chat.blur();
    chat.focus();
  }

  addEventListener("message", (event) => {
    // The page that holds this one can take the keyboard no further than here.
    if (parent !== window && event.source === parent && event.data?.type === "outbound:focus") enterChat();
    if (event.origin !== data.widgetOrigin || event.source !== chat.contentWindow) return;
    const type = typeof event.data === "string" ? event.data : event.data?.type;
    const answer = answerTo(type);
    if (answer !== undefined) chat.contentWindow.postMessage(answer, data.widgetOrigin);
    const news = newsOf(event.data, type);
    // None of it is a secret; which page shows it, this page may not know.
    if (news !== undefined && parent !== window) parent.postMessage(news, location.ancestorOrigins?.[0] ?? "*");
  });
})();
`;
