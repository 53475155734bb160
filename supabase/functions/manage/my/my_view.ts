import { z } from "@hono/zod-openapi";
import { AppError, badFormat } from "../../_shared/errors.ts";
import { MAX_VIEWS_PER_MEMBER, VIEW_SCREENS } from "../../_shared/db/access/member_views.ts";
import { nameSchema } from "../../_shared/people/person.ts";

export const viewScreenSchema = z.enum(VIEW_SCREENS, { error: `one of ${VIEW_SCREENS.join(", ")}` })
  .openapi("ViewScreen", { description: "The list whose filters they are" });

const QUERY = "a query string of 1 to 2000 characters, such as open=true";

/** The fields of a view that its member sets. */
export const viewFields = {
  name: nameSchema.openapi({ example: "Open ones" }),
  query: z.string({ error: QUERY }).regex(/^[\w.~%+*&=-]{1,2000}$/, QUERY).openapi({
    description: "The filters, as they are in the console's address",
    example: "open=true&channel=whatsapp",
  }),
};

/** A filter that a member named. */
export const viewSchema = z.object({
  view_id: z.guid(),
  screen: viewScreenSchema,
  name: z.string(),
  query: z.string(),
  created_at: z.iso.datetime(),
}).openapi("MyView");

/** For the API document. */
export const VIEW_EXAMPLE: z.input<typeof viewSchema> = {
  view_id: "0192f8d4-1111-7222-8333-444455556666",
  screen: "campaigns",
  name: "Open ones",
  query: "open=true&channel=whatsapp",
  created_at: "2026-12-01T09:00:00Z",
};

/** The id of a view in a path. */
export const viewParams = z.object({ view_id: z.guid() });

/** The refusal of a name that another view of the screen has. */
export function viewNameTaken(name: string): AppError {
  return badFormat("name", name, "a name that no other view of this list has");
}

/** The refusal of one view more than a member may have. */
export function tooManyViews(screen: string): AppError {
  return badFormat("screen", screen, `a view less: a member has at most ${MAX_VIEWS_PER_MEMBER}`);
}

/** The refusal of an id that is no view of the member. */
export function noView(): AppError {
  return new AppError("not_found", "View not found");
}
