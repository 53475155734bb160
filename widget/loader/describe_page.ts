import { pageOrigin } from "./page_origin.ts";

/** The page that a visitor writes from. */
export interface PageDescription {
  /** Without query and fragment, which may hold what opens an account. */
  url: string | null;
  title: string;
}

const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 200;

/** Describes this page to the company whose widget is on it. An address too long to be stored is left out. */
export function describePage(): PageDescription {
  const page = pageOrigin();
  const url = page && `${page}${location.pathname}`;
  return {
    url: url && url.length <= MAX_URL_LENGTH ? url : null,
    title: shorten(document.title),
  };
}

/** What no database takes (NUL, half a surrogate pair) is left out, and none is made by the cut. */
function shorten(title: string): string {
  return [...title.replace(/[\0\p{Surrogate}]/gu, "").trim()].slice(0, MAX_TITLE_LENGTH).join("");
}
