/**
 * Shows notifications while the console is closed, and does nothing else: it keeps no file, and calls no API.
 *
 * @module
 */
import { consoleWindows, noticeOf, openConsole, type PushMessage, type Windows } from "./notice.ts";

/** The parts of an event that are used; the types of pages have none of a worker's. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
  data: { json(): PushMessage };
  notification: Notification;
}

interface Worker {
  addEventListener(
    type: "install" | "push" | "notificationclick",
    listen: (event: WorkerEvent) => void,
  ): void;
  skipWaiting(): Promise<void>;
  registration: ServiceWorkerRegistration;
  clients: Windows;
}

const worker = globalThis as unknown as Worker;
const { registration, clients } = worker;

async function show(message: PushMessage): Promise<void> {
  const { title, ...options } = noticeOf(message);
  const isSeen = (await consoleWindows(clients, registration.scope)).some(({ visibilityState }) =>
    visibilityState === "visible"
  );
  // Browsers end the subscription of a page that shows nothing, so who looks at the console gets one that goes at once.
  await registration.showNotification(title, { ...options, silent: isSeen });
  if (!isSeen) return;
  for (const notice of await registration.getNotifications({ tag: options.tag })) notice.close();
}

worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openConsole(clients, registration.scope, event.notification.data.href));
});
