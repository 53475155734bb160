import { validationFailed } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { requireUser } from "./require_user.ts";

/**
 * `POST /logout?scope=global|local|others`: ends all sessions of the user, this one, or all but this one. Their refresh
 * tokens go with them; access tokens already handed out stay good until they expire.
 */
export async function logout(
  context: AuthContext,
  authorization: string | undefined,
  scope = "global",
): Promise<Response> {
  const { user, sessionId } = await requireUser(context, authorization);
  const { sql } = context;
  const which = {
    global: sql`true`,
    local: sql`id = ${sessionId ?? null}`,
    others: sql`id is distinct from ${sessionId ?? null}`,
  }[scope];
  if (!which) throw validationFailed(`Unsupported logout scope "${scope}"`);
  await sql`delete from auth.sessions where user_id = ${user.id} and ${which}`;
  return new Response(null, { status: 204 });
}
