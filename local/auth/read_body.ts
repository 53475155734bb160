import type { z } from "zod";
import { AuthError } from "./auth_error.ts";

const LARGEST_BYTES = 1024 * 1024;

/** Reads a JSON body of the given shape; throws `bad_json` or `request_entity_too_large`. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const result = schema.safeParse(parse(await readText(request)));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badJson(`${issue?.path.join(".")}: ${issue?.message}`);
}

async function readText(request: Request): Promise<string> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length <= LARGEST_BYTES) return new TextDecoder().decode(bytes);
  throw new AuthError(
    413,
    "request_entity_too_large",
    `Request body too large (max ${LARGEST_BYTES} bytes)`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badJson((error as Error).message);
  }
}

function badJson(reason: string): AuthError {
  return new AuthError(400, "bad_json", `Could not parse request body as JSON: ${reason}`);
}
