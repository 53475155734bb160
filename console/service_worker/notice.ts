import { hrefTo } from "../data/href.ts";
import { PUSH_TEXTS } from "../i18n/push_texts.ts";

/** A message of the service to a browser. */
export interface PushMessage {
  company_id: string;
  company: string;
  conversation_id: string;
  kind: "chat" | "whatsapp" | "handoff";
  language: string;
}

/** A notification as the browser shows it: one per conversation, each in place of the one before. */
export interface Notice {
  title: string;
  body: string;
  tag: string;
  lang: string;
  /** `href`: where it leads in the console. */
  data: { href: string };
}

/** Returns the notification of a message. */
export function noticeOf({ company_id, company, conversation_id, kind, language }: PushMessage): Notice {
  const lang = Object.hasOwn(PUSH_TEXTS, language) ? language as keyof typeof PUSH_TEXTS : "en";
  const isHandoff = kind === "handoff";
  const query = isHandoff ? { view: "calls", handoff: conversation_id } : { conversation: conversation_id };
  return {
    title: company,
    body: PUSH_TEXTS[lang][isHandoff ? "handoff" : "conversation"],
    tag: conversation_id,
    lang,
    data: { href: hrefTo([company_id, "inbox"], query) },
  };
}

/** A window of this origin. */
export interface Window {
  url: string;
  visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

/** The windows of this origin, and the way to a new one. */
export interface Windows {
  matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<Window[]>;
  openWindow(url: string): Promise<unknown>;
}

/** Returns the windows in which the console is open. */
export async function consoleWindows(windows: Windows, scope: string): Promise<Window[]> {
  const all = await windows.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(scope));
}

/** Leads to an address of the console: in a window that is open, or in a new one. */
export async function openConsole(windows: Windows, scope: string, href: string): Promise<void> {
  const [open] = await consoleWindows(windows, scope);
  if (open === undefined) return void await windows.openWindow(new URL(href, scope).href);
  open.postMessage({ href });
  await open.focus();
}
