import type { TemplateValue } from "../../../data/sdk.ts";
import type { ContactFile } from "../upload/contact_file.ts";
import { guessVariables, type Variables } from "./agent_variables.ts";
import { isStored, type People, type Sources } from "../draft.ts";

/** Usual names of the column of numbers, without accents, spaces and signs. */
const NUMBER_NAMES =
  /^(number|phone|phonenumber|mobile|mobilephone|mobilenumber|cell|cellphone|tel|telephone|telefono|numero|numerodetelefono|movil|celular|whatsapp|msisdn|to|contact)$/;
const NAME_NAMES = /^(name|firstname|fullname|nombre|nombrecompleto|cliente|customer|contactname|first)$/;
const NUMBER = /^\+?[\d\s().-]{7,20}$/;

/**
 * Guesses what fills each value, and keeps what was chosen before as far as it still fits: a text, or a column that is
 * there.
 */
export function adaptSources(people: People, values: TemplateValue[], before: Sources): Sources {
  const fits = (name: string) =>
    name === "number" ? !isStored(people) : values.some((each) => each.name === name);
  const kept = Object.entries(before).filter(([name, source]) =>
    fits(name) && (source.kind === "text" || people.columns.includes(source.column))
  );
  const guessed = isStored(people) ? guessStored(values) : guessSources(people, values);
  return { ...guessed, ...Object.fromEntries(kept) };
}

/** Names the variables of an agent after the columns, and keeps those that were named before. */
export function adaptVariables(people: People, before: Variables): Variables {
  const kept = Object.entries(before).filter(([column]) => people.columns.includes(column));
  const guessed = guessVariables(isStored(people) ? ["name"] : people.columns);
  return { ...guessed, ...Object.fromEntries(kept) };
}

/** Of the stored fields of a contact, only the name is likely. */
function guessStored(values: TemplateValue[]): Sources {
  const person = values.find(({ required, example }) => required && IS_WORD.test(example));
  return person ? { [person.name]: { kind: "column", column: "name" } } : {};
}

const IS_WORD = /^\p{L}+$/u;

/** Guesses which column holds the numbers, and which one fills each value of the template. */
export function guessSources(file: ContactFile, values: TemplateValue[]): Sources {
  const number = numberColumn(file);
  const sources: Sources = number ? { number: { kind: "column", column: number } } : {};
  const free = new Set(file.columns.filter((column) => column !== number));
  for (const value of values.filter(({ required }) => required)) {
    const column = columnFor(value, file, free);
    if (column === undefined) continue;
    free.delete(column);
    sources[value.name] = { kind: "column", column };
  }
  return sources;
}

function numberColumn({ columns, rows }: ContactFile): string | undefined {
  const named = columns.find((column) => NUMBER_NAMES.test(plain(column)));
  if (named !== undefined) return named;
  const share = (column: string) => rows.filter((row) => NUMBER.test(row[column] ?? "")).length / rows.length;
  return columns.find((column) => share(column) > 0.5);
}

/** By its name, by what its cells look like, or else the next one in the file. */
function columnFor(
  { name, example }: TemplateValue,
  { rows }: ContactFile,
  free: ReadonlySet<string>,
): string | undefined {
  const columns = [...free];
  const same = columns.find((column) => plain(column) === plain(name));
  if (same !== undefined) return same;
  const isMedia = /^https?:/.test(example);
  const like = columns.find((column) => rows.some((row) => shapeOf(row[column] ?? "") === shapeOf(example)));
  const isWord = IS_WORD.test(example);
  const person = isWord ? columns.find((column) => NAME_NAMES.test(plain(column))) : undefined;
  return person ?? like ?? (isMedia ? undefined : columns[0]);
}

/** `A-1042` and `B-7` are alike. */
function shapeOf(text: string): string {
  return text.replaceAll(/\p{Lu}?\p{Ll}+|\p{L}+/gu, "a").replaceAll(/\d+/g, "9");
}

function plain(name: string): string {
  return name.normalize("NFD").replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
