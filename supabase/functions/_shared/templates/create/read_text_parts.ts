import { isPlainText, WITHOUT_CONTROLS } from "../../values/control_characters.ts";
import { badFormat, missingField } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import type { BodyRequest, FooterRequest, HeaderRequest } from "./template_request.ts";

/** A text of a template as the platform wants it. */
export interface TemplateText {
  /** With variables written `{{1}}`. */
  text: string;
  /** The number of different variables; they are numbered from 1. */
  variables: number;
}

const VARIABLE = /\{\{([1-9]\d{0,2})\}\}|\{([1-9]\d{0,2})\}/g;
const NOTHING_BUT_SPACE = /^\s*$/;

/**
 * Reads a text that may hold variables, written `{1}` or `{{1}}`, and checks everything that can be wrong with it but
 * its length. `field` names it in refusals.
 *
 * Source of the rules: WhatsApp Cloud API, message templates.
 *
 * Throws `validation_failed`.
 */
export function readText(
  field: string,
  given: string | undefined,
  { atEdges = false }: {
    /** Whether a variable may begin or end the text. */
    atEdges?: boolean;
  } = {},
): TemplateText {
  const text = requireText(field, given);
  const found = [...text.matchAll(VARIABLE)];
  const refuse = (rule: string) => badFormat(field, given, rule);
  if (/[{}]/.test(text.replaceAll(VARIABLE, ""))) {
    throw refuse("braces only around the number of a variable, such as {1}");
  }
  if (new Set(found.map((match) => match[1] === undefined)).size > 1) {
    throw refuse("all variables written the same way, {1} or {{1}}");
  }
  const numbers = [...new Set(found.map((match) => Number(match[1] ?? match[2])))];
  if (numbers.some((number, index) => number !== index + 1)) {
    throw refuse("variables numbered {1}, {2}, … without a gap, in the order they appear");
  }
  // Plain text holds no NUL.
  const between = text.replaceAll(VARIABLE, "\0").split("\0").map((part) => part.trim());
  if (!atEdges && numbers.length > 0 && (between[0] === "" || between.at(-1) === "")) {
    throw refuse("text before the first variable and after the last one");
  }
  if (between.slice(1, -1).includes("")) throw refuse("text between two variables");
  return {
    text: text.replaceAll(VARIABLE, (_, double, single) => `{{${double ?? single}}}`),
    variables: numbers.length,
  };
}

/**
 * Reads a text that must be the same for every recipient. Throws `validation_failed`.
 *
 * @param why ends the refusal of a variable
 */
export function readStaticText(field: string, given: string | undefined, why: string): string {
  const text = requireText(field, given);
  if (/[{}]/.test(text)) throw badFormat(field, given, `text without variables: ${why}`);
  return text;
}

/** Throws `validation_failed` when a text has more than `max` characters; variables count as `{{1}}`. */
export function requireLength(field: string, text: string, max: number): void {
  if ([...text].length > max) throw badFormat(field, text, `at most ${max} characters`);
}

function requireText(field: string, given: string | undefined): string {
  if (given === undefined) throw missingField(field);
  if (!isPlainText(given)) throw badFormat(field, given, WITHOUT_CONTROLS);
  if (NOTHING_BUT_SPACE.test(given)) throw badFormat(field, given, "text that is not empty");
  return given;
}

const MAX_HEADER_LENGTH = 60;

/**
 * Reads the header of a new template, or of a card: a text with at most one variable, a location, or a medium with a
 * sample that is a handle of the platform or the URL of a file, to be uploaded. `field` names it in refusals.
 *
 * Throws `validation_failed`.
 */
export function readHeader(header: HeaderRequest, field: string): TemplateComponent {
  const { format, text, example } = header;
  if (format === "TEXT") return textHeader(header, field);
  if (text) throw badFormat(`${field}.text`, text, `no text in a header of format ${format}`);
  if (format === "LOCATION") {
    if (example) throw badFormat(`${field}.example`, example, "no example for a location");
    return { type: "HEADER", format };
  }
  return { type: "HEADER", format, example: { header_handle: [readSample(header, field)] } };
}

function textHeader({ text: given, example }: HeaderRequest, field: string): TemplateComponent {
  const { text, variables } = readText(`${field}.text`, given, { atEdges: true });
  if (/[\r\n]/.test(text)) throw badFormat(`${field}.text`, given, "one line");
  if (variables > 1) throw badFormat(`${field}.text`, given, "at most one variable");
  requireLength(`${field}.text`, text, MAX_HEADER_LENGTH);
  const values = example?.header_text ?? (variables === 1 ? [DEFAULT_EXAMPLES[0]!] : []);
  if (values.length !== variables || values.some((value) => value.trim() === "")) {
    throw badFormat(
      `${field}.example.header_text`,
      values,
      `an array with a value for each of the ${variables} variables`,
    );
  }
  return {
    type: "HEADER",
    format: "TEXT",
    text,
    ...(variables === 1 && { example: { header_text: values } }),
  };
}

function readSample({ example }: HeaderRequest, header: string): string {
  const field = `${header}.example.header_handle`;
  const handles = example?.header_handle;
  if (handles === undefined) throw missingField(field);
  const [handle = ""] = handles;
  if (handles.length !== 1 || handle.trim() === "") {
    throw badFormat(
      field,
      handles,
      "an array with one sample: a handle of the platform, an https URL, or media: with the id of a file of yours",
    );
  }
  return handle;
}

/** The examples that the platform's reviewers see when the request has none. */
const DEFAULT_EXAMPLES = ["Ana", "A-1001", "Monday", "10:30", "25.00"];

/** Reads the body of a new template, or of a card. `field` names it in refusals. Throws `validation_failed`. */
export function readBody(body: BodyRequest, field: string, maxLength: number): TemplateComponent {
  if (body.add_security_recommendation !== undefined) {
    throw badFormat(
      `${field}.add_security_recommendation`,
      body.add_security_recommendation,
      "only in templates of category AUTHENTICATION",
    );
  }
  const { text, variables } = readText(`${field}.text`, body.text);
  requireLength(`${field}.text`, text, maxLength);
  const examples = readExamples(body, field, variables);
  return { type: "BODY", text, ...(variables > 0 && { example: { body_text: [examples] } }) };
}

function readExamples({ example }: BodyRequest, field: string, variables: number): string[] {
  const rows = example?.body_text ?? [];
  if (rows.length === 0) return Array.from({ length: variables }, (_, index) => defaultExample(index));
  const [row = []] = rows;
  if (rows.length !== 1 || row.length !== variables || row.some((value) => value.trim() === "")) {
    throw badFormat(
      `${field}.example.body_text`,
      rows,
      `an array holding one array with a value for each of the ${variables} variables`,
    );
  }
  return row;
}

function defaultExample(index: number): string {
  return DEFAULT_EXAMPLES[index] ?? `Example ${index + 1}`;
}

const FOOTER_FIELD = "components_template.FOOTER";
const MAX_FOOTER_LENGTH = 60;

/** Reads the footer of a new template, a static text. Throws `validation_failed`. */
export function readFooter(footer: FooterRequest): TemplateComponent {
  if (footer.code_expiration_minutes !== undefined) {
    const field = `${FOOTER_FIELD}.code_expiration_minutes`;
    throw badFormat(field, footer.code_expiration_minutes, "only in templates of category AUTHENTICATION");
  }
  const text = readStaticText(
    `${FOOTER_FIELD}.text`,
    footer.text,
    "a footer is the same for every recipient",
  );
  requireLength(`${FOOTER_FIELD}.text`, text, MAX_FOOTER_LENGTH);
  return { type: "FOOTER", text };
}
