import { z } from "@hono/zod-openapi";
import { badFormat } from "../../errors.ts";
import { describeButton } from "../../widgets/describe_widget.ts";
import type { AppContext } from "./context.ts";

/** The part of a look that a request asks for, for the API document. {@link showLook} reads it. */
export const lookPart = z.enum(["button"]).optional().openapi({
  description:
    "`button`: only the texts of the button, and no logo; what a page needs before the widget is opened",
});

const colors = z.record(z.string(), z.string());

/** The look that chat and voice widgets have in common. */
export const lookFields = {
  language: z.string().openapi({ description: "The language of `texts`" }),
  available_languages: z.array(z.string()),
  texts: z.record(z.string(), z.string()),
  appearance: z.enum(["light", "dark", "auto"]).openapi({
    description: "`auto` follows the setting of the visitor's device",
  }),
  colors: colors.openapi({
    description: "`primary`, `secondary`, `background`, `text`, `accent` as #rrggbb",
  }),
  dark_colors: colors.openapi({ description: "The company's own colours for dark; others follow `colors`" }),
  position: z.object({
    placement: z.enum(["bottom-right", "bottom-left", "top-right", "top-left"]),
    offset_x: z.number().int(),
    offset_y: z.number().int(),
    size: z.number().int().openapi({ description: "Of the button; all in pixels" }),
  }),
  launcher: z.object({
    paths: z.array(z.string()).openapi({
      description: "The button's icon as SVG paths in a box of 24 by 24; empty for the usual one",
    }),
  }),
  logo: z.string().nullable().openapi({ description: "A picture as a data: URL" }),
  proactive: z.array(
    z.object({
      text: z.string(),
      path: z.string().openapi({ description: "Of the page; `*` is any text" }),
      delay_s: z.number().int(),
    }),
  ).openapi({ description: "Messages beside the button, the first one that fits the page" }),
};

/** The example of these fields, for the API document. */
export const LOOK_EXAMPLE = {
  language: "en",
  available_languages: ["en", "es"],
  texts: { title: "Chat with us" },
  appearance: "auto" as const,
  colors: { primary: "#1f6feb" },
  dark_colors: {},
  position: { placement: "bottom-right" as const, offset_x: 20, offset_y: 20, size: 56 },
  launcher: { paths: [] },
  logo: null,
  proactive: [{ text: "Questions about prices?", path: "/pricing", delay_s: 20 }],
};

/** Responds with a look, or with the part of it that the query names. Throws `validation_failed` for any other part. */
export function showLook(c: AppContext, look: Parameters<typeof describeButton>[0]): Response {
  const part = c.req.query("part");
  if (part === undefined) return c.json(look);
  if (part !== "button") throw badFormat("part", part, "button");
  return c.json(describeButton(look));
}
