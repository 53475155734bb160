import { signal } from "@preact/signals";

const NAME = "authorization_id";

/** The request of an app that sent this browser here to be let in; undefined where none did. */
export const askingApp = signal(new URLSearchParams(location.search).get(NAME) ?? undefined);

/** Goes on where the app waits. An app on this machine takes the address over, and the console stays. */
export function goOnTo(address: string): void {
  const url = new URL(location.href);
  url.searchParams.delete(NAME);
  history.replaceState(history.state, "", url);
  askingApp.value = undefined;
  location.assign(address);
}
