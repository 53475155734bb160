import { signal } from "@preact/signals";
import { companyId, link } from "../company.ts";
import { useLive } from "./live.ts";
import { navigate } from "../route.ts";
import { readPreference, readPushRecord, writePreference } from "../preferences.ts";
import { words } from "../../i18n/words.ts";

/** Older changes are no news. */
const MAX_AGE_MS = 60_000;

/** Whether the person asked this browser to say when a visitor writes. */
export const isNotifying = signal(canNotify() && readPreference("notify") === "true" && isPermitted());

/** Whether this browser has notifications at all. */
export function canNotify(): boolean {
  return "Notification" in globalThis;
}

/** Whether the person has refused them, which only the browser's own settings change. */
export const isBlocked = signal(canNotify() && Notification.permission === "denied");

/** Switches them on, after the browser asked the person, or off. Returns false where the person refused. */
export async function switchNotices(wanted: boolean): Promise<boolean> {
  const isAllowed = !wanted || await Notification.requestPermission() === "granted";
  isBlocked.value = Notification.permission === "denied";
  if (isAllowed) {
    isNotifying.value = wanted;
    writePreference("notify", String(wanted));
  }
  return isAllowed;
}

const noticed = new Map<string, string>();

/** Says that a visitor wrote, or wants a person, while the page is not looked at. */
export function useNotices(): void {
  useLive("conversation", ({ conversation_id, state, last_message_at, kind, assigned_to }) => {
    const [id, at] = [String(conversation_id), String(last_message_at)];
    if (state !== "unanswered" || !isNew(id, at) || isPushed(kind, assigned_to)) return;
    notify(words().common.wrote[kind as "chat" | "whatsapp"], id, link(["inbox"], { conversation: id }));
  });
  useLive("handoff", ({ handoff_id, status, created_at }) => {
    const id = String(handoff_id);
    if (status !== "waiting" || !isNew(id, String(created_at)) || isPushed("handoff", null)) return;
    notify(words().common.wantsPerson, id, link(["inbox"], { view: "calls", handoff: id }));
  });
}

/** The service notifies this browser of it, also where no page is open. */
function isPushed(kind: unknown, assignedTo: unknown): boolean {
  const push = readPushRecord();
  if (!push?.ids[companyId()]) return false;
  return assignedTo === push.userId || (assignedTo === null && kind !== "whatsapp");
}

/** Follows the notifications that a person clicked while a page was open. */
export function followClicks(): void {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => navigate(data.href));
}

/** An event repeats the state as it is: the same message is noticed once. */
function isNew(id: string, at: string): boolean {
  const isKnown = noticed.get(id) === at;
  noticed.set(id, at);
  return !isKnown && Date.now() - Date.parse(at) < MAX_AGE_MS;
}

/** Without what was written: others may see the screen. */
function notify(text: string, id: string, href: string): void {
  if (!isNotifying.peek() || !document.hidden) return;
  try {
    const notice = new Notification(words().common.product, { body: text, tag: id });
    notice.onclick = () => {
      focus();
      navigate(href);
      notice.close();
    };
  } catch {
    // Browsers of phones have notifications for service workers only.
    isNotifying.value = false;
  }
}

function isPermitted(): boolean {
  return Notification.permission === "granted";
}
