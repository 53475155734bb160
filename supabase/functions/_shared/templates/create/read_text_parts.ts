import { isPlainText, WITHOUT_CONTROLS } from "../../control_characters.ts";
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
export function readText(field: string, given: string | undefined): TemplateText {
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
  const between = text.split(new RegExp(VARIABLE.source.replaceAll("(", "(?:"))).map((part) => part.trim());
  if (numbers.length > 0 && (between[0] === "" || between.at(-1) === "")) {
    throw refuse("text before the first variable and after the last one");
  }
  if (between.slice(1, -1).includes("")) throw refuse("text between two variables");
  return {
    text: text.replaceAll(VARIABLE, (_, double, single) => `{{${double ?? single}}}`),
    variables: numbers.length,
  };
}

/**
 * Reads a text that must be the same for everybody. Throws `validation_failed`.
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

/** A file that stands for what a media header will show; fetched and uploaded before the template is submitted. */
export interface SampleFile {
  format: "IMAGE" | "VIDEO" | "DOCUMENT";
  url: string;
}

const HEADER_FIELD = "components_template.HEADER";
const MAX_HEADER_LENGTH = 60;

/**
 * Reads the header of a new template: a static text, or a medium with a sample that is a handle of the platform or the
 * URL of a file. Text is static, although the platform would take one variable: the contract has no name for its value,
 * so such a template could never be sent.
 *
 * Throws `validation_failed`.
 */
export function readHeader(
  header: HeaderRequest,
): { component: TemplateComponent; sample: SampleFile | null } {
  const { format } = header;
  if (format === "TEXT") return { component: textHeader(header), sample: null };
  if (header.text) {
    throw badFormat(`${HEADER_FIELD}.text`, header.text, `no text in a header of format ${format}`);
  }
  const given = readSample(header);
  const isUrl = /^https?:\/\//i.test(given);
  return {
    component: { type: "HEADER", format, example: { header_handle: isUrl ? [] : [given] } },
    sample: isUrl ? { format, url: given } : null,
  };
}

function textHeader({ text: given }: HeaderRequest): TemplateComponent {
  const text = readStaticText(`${HEADER_FIELD}.text`, given, "no value for one can be supplied when sending");
  if (/[\r\n]/.test(text)) throw badFormat(`${HEADER_FIELD}.text`, text, "one line");
  requireLength(`${HEADER_FIELD}.text`, text, MAX_HEADER_LENGTH);
  return { type: "HEADER", format: "TEXT", text };
}

function readSample({ example }: HeaderRequest): string {
  const field = `${HEADER_FIELD}.example.header_handle`;
  const handles = example?.header_handle;
  if (handles === undefined) throw missingField(field);
  const [handle = ""] = handles;
  if (handles.length !== 1 || handle.trim() === "") {
    throw badFormat(field, handles, "an array with one sample: a handle of the platform, or an https URL");
  }
  return handle;
}

const BODY_FIELD = "components_template.BODY";
const MAX_BODY_LENGTH = 1024;

/** The examples that the platform's reviewers see when the request has none. */
const DEFAULT_EXAMPLES = ["Ana", "A-1001", "Monday", "10:30", "25.00"];

/** Reads the body of a new template. Throws `validation_failed`. */
export function readBody(body: BodyRequest): TemplateComponent {
  if (body.add_security_recommendation !== undefined) {
    const field = `${BODY_FIELD}.add_security_recommendation`;
    throw badFormat(field, body.add_security_recommendation, "only in templates of category AUTHENTICATION");
  }
  const { text, variables } = readText(`${BODY_FIELD}.text`, body.text);
  requireLength(`${BODY_FIELD}.text`, text, MAX_BODY_LENGTH);
  const examples = readExamples(body, variables);
  return { type: "BODY", text, ...(variables > 0 && { example: { body_text: [examples] } }) };
}

function readExamples({ example }: BodyRequest, variables: number): string[] {
  const rows = example?.body_text ?? [];
  if (rows.length === 0) return Array.from({ length: variables }, (_, index) => defaultExample(index));
  const [row = []] = rows;
  if (rows.length !== 1 || row.length !== variables || row.some((value) => value.trim() === "")) {
    throw badFormat(
      `${BODY_FIELD}.example.body_text`,
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
  const text = readStaticText(`${FOOTER_FIELD}.text`, footer.text, "a footer is the same for everybody");
  requireLength(`${FOOTER_FIELD}.text`, text, MAX_FOOTER_LENGTH);
  return { type: "FOOTER", text };
}
