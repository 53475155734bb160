import { parseUrl } from "../shared/parse_url.ts";
import { warn } from "../shared/warn.ts";
import { type Attributes, readAttributes } from "./attributes.ts";

/** Everything the loader goes by. */
export interface LoaderOptions extends Attributes {
  /** The API's base URL. */
  api: string;
  /** Where the loader itself came from, and the voice interface with it. */
  host: string;
}

/** The build, or the host that serves this file, puts the API's base URL here. */
const BUILT_IN_API = "__OUTBOUND_API_URL__";

/** Reads the options from the script element; undefined when no widget can be shown. Never throws. */
export function readOptions(script: HTMLScriptElement): LoaderOptions | undefined {
  const attributes = readAttributes(script.dataset);
  if (!attributes) return undefined;
  const host = parseUrl(script.src.split(/[?#]/)[0])?.replace(/\/[^/]*$/, "");
  const api = attributes.api ?? parseUrl(BUILT_IN_API);
  if (host === undefined) {
    warn("the loader must be loaded by its address, as <script src>: no widget is shown");
    return undefined;
  }
  if (api === undefined) {
    warn("the loader was built without the API's address: give it as data-api");
    return undefined;
  }
  return { ...attributes, api, host };
}
