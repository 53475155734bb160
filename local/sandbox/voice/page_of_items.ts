import { VoiceError } from "./voice_error.ts";

const DEFAULT_SIZE = 30;
const MAX_SIZE = 100;

/** Cuts the page a list request asks for by `page_size` and `cursor`; the cursor names the last item given. */
export function pageOfItems<T>(
  items: T[],
  idOf: (item: T) => string,
  query: Record<string, string>,
): { items: T[]; next_cursor: string | null; has_more: boolean } {
  const size = Number(query.page_size ?? DEFAULT_SIZE);
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE) {
    throw VoiceError.list([{
      type: "int_parsing",
      loc: ["query", "page_size"],
      msg: `Input should be a valid integer from 1 to ${MAX_SIZE}`,
      input: query.page_size,
    }]);
  }
  const start = query.cursor === undefined
    ? 0
    : items.findIndex((item) => cursorOf(idOf(item)) === query.cursor) + 1;
  if (query.cursor !== undefined && start === 0) {
    throw VoiceError.current(400, "invalid_parameters", "The cursor is not one of this list", "cursor");
  }
  const page = items.slice(start, start + size);
  const has_more = start + page.length < items.length;
  return { items: page, next_cursor: has_more ? cursorOf(idOf(page.at(-1)!)) : null, has_more };
}

function cursorOf(id: string): string {
  return btoa(`after:${id}`).replaceAll("=", "");
}
