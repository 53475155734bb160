import { type Browser, firefox } from "playwright-core";
import { findFirefox } from "./find_firefox.ts";

/** Keys and presses reach an iframe of another site only where it runs in its page's own process. */
const ONE_PROCESS = { "fission.autostart": false };

/**
 * Starts this machine's own Firefox, by the protocol WebDriver BiDi; undefined when it has none. From 1.65 on,
 * playwright-core sends a command that Firefox 153 does not know.
 *
 * @param prefs settings, as about:config has them
 */
export async function launchFirefox(
  prefs: Record<string, string | number | boolean> = {},
): Promise<Browser | undefined> {
  const executablePath = await findFirefox();
  if (executablePath === undefined) return undefined;
  return await firefox.launch({
    channel: "moz-firefox",
    executablePath,
    firefoxUserPrefs: { ...ONE_PROCESS, ...prefs },
  });
}
