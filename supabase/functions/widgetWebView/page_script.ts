import { UUID } from "../_shared/values/uuid.ts";

/**
 * The page's script in the browser. It responds to the chat's requests, stores the chat's values, and passes on five
 * messages of the chat: that it is ready, the number of unread messages, the author of a message that arrived, that a
 * person takes over, and that it wants to be closed. It exchanges these messages only with the chat's own window, at the
 * widget host's origin.
 *
 * The values are stored by the loader's page if the loader names its origin in the fragment (`page`), because browsers let
 * no iframe of another site store anything; otherwise by this page. Messages to and from the loader are limited to exactly
 * that origin. The loader never receives the values that this page stores itself, and a page that claims another origin
 * receives nothing at all. Any other embedding page can only move the keyboard focus into the chat. Values that cannot be
 * stored last as long as the page.
 *
 * It is kept as text, so that no compiler or bundler changes it.
 */
export const PAGE_SCRIPT = String.raw`"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chat = document.getElementById("chat");
  const UUID = /^${UUID}$/;
  const loader = loaderOrigin();
  // Undefined until the loader responds; the chat repeats its request until then.
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
    setValue(name, value);
    if (loader !== undefined) return parent.postMessage({ type: "outbound:store", name, value }, loader);
    try {
      if (value === null) localStorage.removeItem(ownKey(name));
      else localStorage.setItem(ownKey(name), value);
    } catch {
      // The value in the state lasts as long as the page.
    }
  }

  function isStored({ name, value }) {
    return typeof name === "string" && (typeof value === "string" || value === null);
  }

  function setValue(name, value) {
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

  function respond(type) {
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
    if (type === "outbound:ready" || type === "outbound:handoff") return { type };
    if (type === "outbound:close" && data.showClose) return { type };
    if (type === "outbound:message") return { type, author: String(message.author) };
    return type === "outbound:unread" ? { type, count: Number(message.count) } : undefined;
  }

  // For this page the chat may still have the focus, so it has to lose it first.
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

  // Another tab stored a value.
  function pass(name, value) {
    setValue(name, value);
    postToChat({ type: "outbound:stored", name, value });
  }

  function receiveFromChat({ data: message }) {
    const type = typeof message === "string" ? message : message?.type;
    respond(type);
    if (type === "outbound:store" && isStored(message) && state !== undefined) store(message.name, message.value);
    const update = updateOf(message, type);
    // The messages contain no secret. Without a loader, this page may not know the origin of its parent.
    if (update !== undefined && parent !== window) {
      parent.postMessage(update, loader ?? location.ancestorOrigins?.[0] ?? "*");
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
