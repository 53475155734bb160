import type { WidgetKind } from "../../supabase/functions/_shared/db/widgets.ts";
import {
  chatConfigSchema,
  voiceConfigSchema,
} from "../../supabase/functions/_shared/widgets/widget_config.ts";
import { CommandError } from "../command_error.ts";

const SCHEMAS = { chat: chatConfigSchema, voice: voiceConfigSchema };

/**
 * Checks a configuration as the service will read it. What is left out stays out, so that it follows our defaults.
 *
 * @throws {CommandError} `bad_value` naming the first field that does not fit
 */
export function checkWidgetConfig(kind: WidgetKind, config: unknown): Record<string, unknown> {
  const { error } = SCHEMAS[kind].safeParse(config);
  if (!error) return config as Record<string, unknown>;
  const { path, message } = error.issues[0]!;
  throw new CommandError(
    "bad_value",
    `The configuration does not fit: ${[path.join("."), message].filter(Boolean).join(": ")}`,
  );
}
