import { distance } from "fastest-levenshtein";
import type { Sql } from "../db/driver/connect.ts";
import { readTemplateNames, type TemplateOwner } from "../db/templates/templates.ts";
import { AppError, type Refusal } from "../errors.ts";

/** Typing errors in a name: one, and one more for every four characters. */
const CHARACTERS_PER_ERROR = 4;

/** Returns the name that was probably meant: the one with the fewest differences; undefined where none is near. */
export function closestName(name: string, names: string[]): string | undefined {
  const maxErrors = 1 + Math.floor(name.length / CHARACTERS_PER_ERROR);
  let closest: { name: string; errors: number } | undefined;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > maxErrors) continue;
    const errors = distance(name, candidate);
    if (errors <= maxErrors && errors < (closest?.errors ?? Infinity)) closest = { name: candidate, errors };
  }
  return closest?.name;
}

/** Adds to the refusal of a template that does not exist which one was probably meant (`details.did_you_mean`). */
export async function suggestTemplate(
  sql: Sql,
  owner: TemplateOwner,
  { name, refusal }: { name: string; refusal: Refusal },
): Promise<Refusal> {
  const meant = closestName(name, await readTemplateNames(sql, owner));
  if (meant === undefined) return refusal;
  return new AppError(refusal.code, `${refusal.message}: did you mean '${meant}'?`, {
    details: { ...refusal.details, did_you_mean: meant },
  });
}
