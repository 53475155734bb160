import { z } from "zod";
import type { AuthContext } from "./context.ts";
import { loadUser } from "./load_user.ts";
import { readBody } from "./read_body.ts";

const bodySchema = z.object({ should_soft_delete: z.boolean().nullish() });

/** `DELETE /admin/users/{id}`: deletes a user with sessions and identities, or only hides what is personal. */
export async function deleteUser(context: AuthContext, id: string, request: Request): Promise<Response> {
  const user = await loadUser(context, id);
  const { should_soft_delete } = request.body ? await readBody(request, bodySchema) : {};
  const { sql } = context;
  if (should_soft_delete) {
    await sql.begin(async (transaction) => {
      await transaction`
        update auth.users set deleted_at = now(), email = null, encrypted_password = '' where id = ${user.id}`;
      await transaction`delete from auth.sessions where user_id = ${user.id}`;
    });
  } else {
    await sql`delete from auth.users where id = ${user.id}`;
  }
  return Response.json({});
}
