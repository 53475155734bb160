import { parseUrl } from "./parse_url.ts";

/** What stands behind the # of a widget's page: nothing in it is a secret, and anybody may have written it. */
export interface Fragment {
  showClose: boolean;
  /** As it came; empty when the widget's default language is wanted. */
  language: string;
  /** The API's base URL. */
  api: string | undefined;
  /** The origin of the page around this one, the only one that is spoken with. */
  parent: string | undefined;
  /** Everything else, by name. */
  get(name: string): string | null;
}

/** Reads the fragment; what cannot be used is left out. Never throws. */
export function readFragment(hash: string): Fragment {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const parent = parseUrl(values.get("parent"));
  const language = values.get("lang") ?? "";
  return {
    showClose: values.get("showClose") !== "false",
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(language) ? language : "",
    api: parseUrl(values.get("api")),
    parent: parent && new URL(parent).origin,
    get: (name) => values.get(name),
  };
}
