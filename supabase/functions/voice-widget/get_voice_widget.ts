import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { limitReads } from "../_shared/http/limit_reads.ts";
import { describeVoiceWidget } from "../_shared/widgets/describe_voice_widget.ts";
import { pageOriginSchema, readWidgetQuery } from "./read_widget_query.ts";
import { realtimePlatform } from "./realtime_platform.ts";

/** Every view of a page with a widget asks once. */
const LOOKS = { what: "voice_look", perAddress: 1200 };

const voiceConfigSchema = z.object({
  id_widget: z.uuid(),
  language: z.string().openapi({ description: "The language of `texts`" }),
  available_languages: z.array(z.string()),
  agent_id: z.string(),
  colors: z.record(z.string(), z.string()),
  position: z.object({
    placement: z.enum(["bottom-right", "bottom-left", "top-right", "top-left"]),
    offset_x: z.number().int(),
    offset_y: z.number().int(),
    size: z.number().int(),
  }),
  animation: z.object({ type: z.enum(["orb", "pulse", "none"]), speed: z.number(), intensity: z.number() }),
  texts: z.record(z.string(), z.string()),
  features: z.object({
    transcript: z.boolean(),
    feedback: z.boolean(),
    handoff: z.boolean(),
    text_input: z.boolean(),
  }),
}).openapi("VoiceConfig");

const route: RouteConfig = {
  method: "get",
  path: "/voice-widget",
  summary: "What a voice widget looks like and says",
  description: "Takes the company's access key or a publishable one.",
  tags: ["Widgets"],
  request: {
    query: z.object({
      access_key: z.string(),
      id_widget: z.uuid(),
      language: z.string().optional(),
      page_origin: pageOriginSchema,
    }),
  },
  responses: {
    200: { description: "The widget", content: { "application/json": { schema: voiceConfigSchema } } },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /voice-widget` answers colours, position, animation and texts of a voice widget. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetVoiceWidget(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, LOOKS);
    const widget = await readWidgetQuery(c);
    const described = describeVoiceWidget(
      { ...widget, canHandOff: realtimePlatform(c) !== undefined },
      c.req.query("language"),
    );
    return c.json(described);
  });
}
