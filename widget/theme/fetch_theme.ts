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
    const response = await fetch(urlOf(request), {
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

function urlOf({ api, mode, key, widget, language, page }: ThemeRequest): string {
  const names = mode === "chat"
    ? { id: "widget_id", language: "lang", path: "widget" }
    : { id: "id_widget", language: "language", path: "voice-widget" };
  const query = new URLSearchParams({ access_key: key, [names.id]: widget, page_origin: page });
  if (language) query.set(names.language, language);
  return `${api}/${names.path}?${query}`;
}
