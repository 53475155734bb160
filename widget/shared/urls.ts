/** Parses an http(s) URL and drops its final slash, query and fragment; undefined for anything else. */
export function parseUrl(value: string | null | undefined): string | undefined {
  const url = tryUrl(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return withoutEndSlashes(`${url.origin}${url.pathname}`);
}

/** Returns a URL without the slashes at its end. */
function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
}

/** Does what `URL.parse` does, which many browsers in use lack. */
function tryUrl(value: string | null | undefined): URL | undefined {
  try {
    return value ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The parameters after the # of a widget's page. None is secret, and any site can write such a link. */
export interface Fragment {
  showClose: boolean;
  /** Empty for the widget's default language. */
  language: string;
  /** The API's base URL. */
  api: string | undefined;
  /** The origin of the embedding page, the only one to exchange messages with. */
  parent: string | undefined;
  /** Returns any other parameter. */
  get(name: string): string | null;
}

/** Reads the fragment and leaves out invalid values. Never throws. */
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
