import { attributesOf, type WidgetOptions } from "./options.ts";

/** A browser's policies for addresses of scripts, as far as they are needed here. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

interface Policy {
  createScriptURL(url: string): string;
}

/** The name of the policy in a page's `trusted-types`. */
const POLICY = "outbound-widget";

let policy: Policy | undefined;

/** Makes the loader's script for a widget. The caller adds it to the page. */
export function makeScript(options: WidgetOptions): HTMLScriptElement {
  const script = document.createElement("script");
  for (const [name, value] of Object.entries(attributesOf(options))) script.setAttribute(name, value);
  if (options.nonce) script.nonce = options.nonce;
  script.src = trust(`${options.host.replace(/\/$/, "")}/loader.js`);
  return script;
}

/** Marks an address as one of this package, for pages with `require-trusted-types-for 'script'`. */
function trust(url: string): string {
  try {
    policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
      ?.createPolicy(POLICY, { createScriptURL: (each) => each });
  } catch {
    // The page does not list the policy: the plain address does where trusted types are not required.
  }
  return policy?.createScriptURL(url) ?? url;
}

/** Adds the script to the page. Resolves once it has run; rejects if it cannot be loaded. */
export function runScript(script: HTMLScriptElement): Promise<void> {
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
    document.head.append(script);
  });
}
