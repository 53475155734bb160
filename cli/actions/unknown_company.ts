import { CommandError } from "../command_error.ts";

/** The refusal for a company id that names no company. */
export function unknownCompany(companyId: string): CommandError {
  return new CommandError("not_found", `No company with id ${companyId}`);
}
