/**
 * What the page does in the browser: it answers the chat's questions, stores what the chat wants stored, and passes on that
 * it is there, how many messages nobody has seen, and its wish to be closed. It listens to the chat's own window at the
 * widget host, and answers there only.
 *
 * Who stores: the loader's page, when the loader says in the fragment which one that is (`page`), because browsers let no
 * iframe of another site store anything; otherwise this page. The loader is listened to, and sent to, at exactly that
 * origin, and never gets what this page stores itself: a page that claims another origin gets nothing at all. Any other
 * page that holds this one may but send the keyboard in. What cannot be stored is there for the life of the page.
 *
 * Kept as text, because it must not depend on what a compiler or a bundler would make of it.
 */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chat = document.getElementById("chat");
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const loader = loaderOrigin();
  // Known at once, or as soon as the loader has answered; the chat asks until then.
  let state = loader === undefined ? { stored: ownValues(), is_shown: true } : undefined;

  function loaderOrigin() {
    const page = new URLSearchParams(location.hash.slice(1)).get("page") ?? "";
    try {
      const isOrigin = /^https?:/.test(page) && new URL(page).origin === page;
      return parent !== window && isOrigin ? page : undefined;
    } catch {
      return undefined;
    }
  }

  function ownKey(name) {
    return name === "user" ? data.userKey : data.storagePrefix + name;
  }

  function ownName(key) {
    if (key === data.userKey) return "user";
    return key?.startsWith(data.storagePrefix) ? key.slice(data.storagePrefix.length) : undefined;
  }

  function ownValues() {
    try {
      const keys = Object.keys(localStorage).filter((key) => ownName(key) !== undefined);
      return Object.fromEntries(keys.map((key) => [ownName(key), localStorage.getItem(key)]));
    } catch {
      return {};
    }
  }

  function store(name, value) {
    note(name, value);
    if (loader !== undefined) return parent.postMessage({ type: "outbound:store", name, value }, loader);
    try {
      if (value === null) localStorage.removeItem(ownKey(name));
      else localStorage.setItem(ownKey(name), value);
    } catch {
      // It is noted, which lasts as long as the page.
    }
  }

  function isStored({ name, value }) {
    return typeof name === "string" && (typeof value === "string" || value === null);
  }

  function note(name, value) {
    if (value === null) delete state.stored[name];
    else state.stored[name] = value;
  }

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function userId() {
    if (!UUID.test(state.stored.user)) store("user", newId());
    return state.stored.user;
  }

  function postToChat(message) {
    chat.contentWindow.postMessage(message, data.widgetOrigin);
  }

  function answer(type) {
    if (type === "get_widget") postToChat({ type: "widget", widget: data.widget });
    if (type === "get_page") requestPage();
    if (state === undefined) return;
    if (type === "get_customer") {
      postToChat({ type: "customer", customer: { ...data.customer, user_id: userId() } });
    }
    if (type === "get_state") postToChat({ type: "state", state });
  }

  function requestPage() {
    if (loader === undefined) postToChat({ type: "page", page: null });
    else parent.postMessage({ type: "outbound:get_page" }, loader);
  }

  function updateOf(message, type) {
    if (type === "outbound:ready" || (type === "outbound:close" && data.showClose)) return { type };
    return type === "outbound:unread" ? { type, count: Number(message.count) } : undefined;
  }

  // To this page the chat may still have the keyboard from the last time, so it is given afresh.
  function enterChat() {
    chat.blur();
    chat.focus();
  }

  function receiveFromParent({ origin, data: message }) {
    const type = message?.type;
    if (type === "outbound:focus") enterChat();
    if (loader === undefined || origin !== loader) return;
    if (type === "outbound:state") state ??= { stored: { ...message.state?.stored }, is_shown: message.state?.is_shown === true };
    if (type === "outbound:page") postToChat({ type: "page", page: message.page });
    if (state === undefined) return;
    if (type === "outbound:shown" || type === "outbound:hidden") {
      state.is_shown = type === "outbound:shown";
      postToChat({ type });
    }
    if (type === "outbound:stored" && isStored(message)) pass(message.name, message.value);
  }

  // Another tab has stored something.
  function pass(name, value) {
    note(name, value);
    postToChat({ type: "outbound:stored", name, value });
  }

  function receiveFromChat({ data: message }) {
    const type = typeof message === "string" ? message : message?.type;
    answer(type);
    if (type === "outbound:store" && isStored(message) && state !== undefined) store(message.name, message.value);
    const news = updateOf(message, type);
    // None of it is a secret; which page shows it, this page may not know.
    if (news !== undefined && parent !== window) {
      parent.postMessage(news, loader ?? location.ancestorOrigins?.[0] ?? "*");
    }
  }

  addEventListener("message", (event) => {
    if (parent !== window && event.source === parent) receiveFromParent(event);
    if (event.source === chat.contentWindow && event.origin === data.widgetOrigin) receiveFromChat(event);
  });
  addEventListener("storage", ({ key, newValue }) => {
    if (loader === undefined && ownName(key) !== undefined) pass(ownName(key), newValue);
  });
  if (loader !== undefined) parent.postMessage({ type: "outbound:get_state" }, loader);
})();
`;
