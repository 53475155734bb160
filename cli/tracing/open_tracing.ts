import type { Env } from "../../supabase/functions/_shared/env.ts";
import { NO_TRACING, type Tracing } from "../../supabase/functions/_shared/telemetry/tracing.ts";

/** Opens tracing where an endpoint for traces is set and OTEL_SDK_DISABLED is not. Elsewhere nothing of OpenTelemetry is loaded. */
export async function openTracing(env: Env): Promise<Tracing> {
  if (env.OTEL_SDK_DISABLED) return NO_TRACING;
  if (!env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT && !env.OTEL_EXPORTER_OTLP_ENDPOINT) return NO_TRACING;
  const { createTracing } = await import("./create_tracing.ts");
  return createTracing(env);
}

/**
 * Returns why the runtime's own traces may not be on; undefined when they are off. Deno 2.9 exports every URL with its
 * query string, and so access keys, and an attribute cannot be replaced.
 */
export function automaticTracesProblem(variables: Record<string, string | undefined>): string | undefined {
  const isOn = /^(1|true)$/i.test(variables.OTEL_DENO ?? "");
  if (!isOn || variables.OTEL_DENO_TRACING === "false") return undefined;
  return "OTEL_DENO would export every URL with its access key: unset it, or set OTEL_DENO_TRACING=false. " +
    "Set OTEL_EXPORTER_OTLP_ENDPOINT alone to export this service's own spans";
}
