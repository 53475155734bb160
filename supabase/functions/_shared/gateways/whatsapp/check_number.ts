import { startDeadline } from "../../concurrency/deadline.ts";
import { readJson } from "../http_client.ts";
import { errorOf, platformUrl, readPlatformError, type WhatsappConfig } from "./errors.ts";

const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Asks the platform for the id of a number, which it gives to a token that may use the number. Never throws.
 *
 * @returns null when the token is accepted, otherwise the reason, without the token
 */
export async function checkNumber(
  config: WhatsappConfig,
  { phoneNumberId, token }: { phoneNumberId: string; token: string },
  { timeoutMs }: { timeoutMs: number },
): Promise<string | null> {
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await (config.fetch ?? fetch)(`${platformUrl(config, phoneNumberId)}?fields=id`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: deadline.signal,
    });
    const body = await readJson(response, MAX_RESPONSE_BYTES);
    if (response.status === 200) return null;
    const error = readPlatformError(errorOf(body), { httpStatus: response.status, token });
    return error?.reason ?? `The platform responded ${response.status}`;
  } catch {
    // The runtime's error is dropped: it may quote the header, and with it the token.
    return "The platform does not respond";
  } finally {
    deadline.clear();
  }
}
