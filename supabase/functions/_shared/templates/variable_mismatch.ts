import { AppError } from "../errors.ts";

/** The 422 for values that are not those a template wants, with every name on either side. */
export function variableMismatch(
  expected: string[],
  provided: string[],
  message = "The provided variables differ from the template's",
): AppError {
  return new AppError("variable_mismatch", message, {
    details: {
      template_variables: expected,
      provided_variables: provided,
      missing: expected.filter((name) => !provided.includes(name)),
      unexpected: provided.filter((name) => !expected.includes(name)),
    },
  });
}
