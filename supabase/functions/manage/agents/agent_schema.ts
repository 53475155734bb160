import { z } from "@hono/zod-openapi";

/** A voice agent that may make a company's calls. */
export const agentSchema = z.object({
  agent_id: z.guid(),
  platform_agent_id: z.string().openapi({ description: "The voice platform's id of it" }),
  name: z.string(),
  status: z.enum(["active", "disabled"]),
  created_at: z.iso.datetime(),
}).openapi("Agent");

export const agentExample: z.input<typeof agentSchema> = {
  agent_id: "0192f8ab-5c6d-7e8f-9a0b-1c2d3e4f5061",
  platform_agent_id: "agent_7101k5zvyjhm",
  name: "Appointment reminders",
  status: "active",
  created_at: "2026-11-01T09:00:00Z",
};
