import { z } from "@hono/zod-openapi";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { WIDGET_KEY } from "../_shared/http/app/security.ts";
import { LOOK_EXAMPLE, lookFields, lookPart, showLook } from "../_shared/http/app/widget_look.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { describeVoiceWidget } from "../_shared/widgets/describe_widget.ts";
import { readVoiceWidget, voiceWidgetQuery } from "./read_voice_widget.ts";
import { realtimePlatform } from "../_shared/http/realtime/platforms.ts";

/** Every view of a page with a widget makes one request. */
const READ_LIMIT = { what: "voice_look", perAddress: 1200 };

const voiceConfigSchema = z.object({
  id_widget: z.uuid(),
  agent_id: z.string(),
  ...lookFields,
  animation: z.object({ type: z.enum(["orb", "pulse", "none"]), speed: z.number(), intensity: z.number() }),
  features: z.object({
    transcript: z.boolean(),
    feedback: z.boolean(),
    handoff: z.boolean(),
    text_input: z.boolean(),
  }),
}).openapi("VoiceConfig");

const route: ApiRoute = {
  method: "get",
  path: "/voice-widget",
  operationId: "getVoiceWidget",
  summary: "Read the look and texts of a voice widget",
  description: "Takes the company's access key or a publishable one.",
  tags: ["Voice widget"],
  security: WIDGET_KEY,
  request: {
    query: z.object({ ...voiceWidgetQuery, part: lookPart }),
  },
  responses: {
    200: {
      description: "The widget",
      ...json(voiceConfigSchema, {
        id_widget: "0192f8a7-1c2d-7e3f-8a4b-5c6d7e8f9a0b",
        agent_id: "agent_01jx3k5m",
        ...LOOK_EXAMPLE,
        animation: { type: "orb", speed: 1, intensity: 1 },
        features: { transcript: true, feedback: true, handoff: false, text_input: true },
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /voice-widget` returns colours, position, animation and texts of a voice widget. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetVoiceWidget(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, READ_LIMIT);
    const widget = await readVoiceWidget(c);
    const described = describeVoiceWidget(
      { ...widget, canHandOff: realtimePlatform(c) !== undefined },
      c.req.query("language"),
    );
    return showLook(c, described);
  });
}
