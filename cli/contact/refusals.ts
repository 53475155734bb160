import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { UnsealError } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CommandError, type CommandErrorCode } from "../errors/command_error.ts";

const CODES: Partial<Record<AppError["code"], CommandErrorCode>> = {
  not_found: "not_found",
  campaign_archived: "refused",
  suppression_kept: "suppression_kept",
  validation_failed: "bad_value",
};

/**
 * Does `work` and turns the API's refusals into those of a command.
 *
 * @throws {CommandError} `bad_value`, `not_found`, `suppression_kept`, or `not_configured` when OUTBOUND_SECRETS_KEY lacks a key
 */
export async function asCommand<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnsealError) {
      throw new CommandError(
        "not_configured",
        `The key of erased contacts cannot be opened: ${error.message}`,
      );
    }
    const code = error instanceof AppError ? CODES[error.code] : undefined;
    if (code === undefined) throw error;
    throw new CommandError(code, (error as AppError).message, { cause: error });
  }
}
