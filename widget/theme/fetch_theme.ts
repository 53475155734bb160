/** The widget, and the page that shows it. */
export interface ThemeRequest {
  /** The API's base URL. */
  api: string;
  mode: "chat" | "voice";
  key: string;
  widget: string;
  /** Empty for the widget's own. */
  language: string;
  /** The origin of the page that shows the widget. Only that page receives the theme, so a false origin gains nothing. */
  page: string;
}

const TIMEOUT_MS = 5000;

/**
 * Fetches a widget's theme. Returns `refused` for a wrong key or id or a page outside the allowed origins, and undefined
 * when the API is unavailable. Never throws.
 */
export async function fetchTheme(request: ThemeRequest): Promise<unknown> {
  try {
    const response = await fetch(themeUrl(request), {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if ([400, 401, 403, 404].includes(response.status)) return "refused";
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the address of a widget's theme, or of another path of the API that takes the same query. */
export function themeUrl({ api, mode, key, widget, language, page }: ThemeRequest, path?: string): string {
  const isChat = mode === "chat";
  const query = new URLSearchParams({ access_key: key, page_origin: page, part: "button" });
  query.set(isChat ? "widget_id" : "id_widget", widget);
  if (language) query.set(isChat ? "lang" : "language", language);
  return `${api}/${path ?? (isChat ? "widget" : "voice-widget")}?${query}`;
}
