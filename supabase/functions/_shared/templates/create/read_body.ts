import { badFormat } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readText, requireLength } from "./read_text.ts";
import type { BodyRequest } from "./template_request.ts";

const FIELD = "components_template.BODY";
const MOST = 1024;

/** What the platform's reviewers see in place of the variables when nobody says. */
const MADE_UP = ["Ana", "A-1001", "Monday", "10:30", "25.00"];

/** Reads the body of a new template. Throws `validation_failed`. */
export function readBody(body: BodyRequest): TemplateComponent {
  if (body.add_security_recommendation !== undefined) {
    const field = `${FIELD}.add_security_recommendation`;
    throw badFormat(field, body.add_security_recommendation, "only in templates of category AUTHENTICATION");
  }
  const { text, variables } = readText(`${FIELD}.text`, body.text);
  requireLength(`${FIELD}.text`, text, MOST);
  const examples = readExamples(body, variables);
  return { type: "BODY", text, ...(variables > 0 && { example: { body_text: [examples] } }) };
}

function readExamples({ example }: BodyRequest, variables: number): string[] {
  const rows = example?.body_text ?? [];
  if (rows.length === 0) return Array.from({ length: variables }, (_, index) => madeUp(index));
  const [row = []] = rows;
  if (rows.length !== 1 || row.length !== variables || row.some((value) => value.trim() === "")) {
    throw badFormat(
      `${FIELD}.example.body_text`,
      rows,
      `an array holding one array with a value for each of the ${variables} variables`,
    );
  }
  return row;
}

function madeUp(index: number): string {
  return MADE_UP[index] ?? `Example ${index + 1}`;
}
