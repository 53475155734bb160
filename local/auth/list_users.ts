import { validationFailed } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { userBody } from "./user_body.ts";
import { findUsers } from "./users.ts";

const DEFAULT_PER_PAGE = 50;
const MAX_PER_PAGE = 1000;

/**
 * `GET /admin/users?page&per_page`: users, newest first. The total is in `X-Total-Count` and the next and last page in
 * `Link`, where supabase-js looks for them (and expects `page` to be the first parameter).
 */
export async function listUsers({ sql }: AuthContext, url: URL): Promise<Response> {
  const page = whole(url, "page", 1) || 1;
  const perPage = Math.min(whole(url, "per_page", DEFAULT_PER_PAGE) || DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const [row] = await sql`select count(*)::int as total from auth.users where deleted_at is null`;
  const total: number = row!.total;
  const users = await findUsers(sql, sql`true`, { limit: perPage, offset: (page - 1) * perPage });
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (to: number, rel: string) =>
    `<${url.origin}${url.pathname}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  const links = page < last ? [link(page + 1, "next"), link(last, "last")] : [link(last, "last")];
  return Response.json({ users: users.map(userBody), aud: "authenticated" }, {
    headers: { "X-Total-Count": String(total), "Link": links.join(", ") },
  });
}

/** Page 0 is page 1 there. */
function whole(url: URL, name: string, fallback: number): number {
  const value = url.searchParams.get(name);
  if (value === null || value === "") return fallback;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw validationFailed(`Bad Pagination Parameters: ${name} must be a whole number`);
}
