import { type TemplateDraft, variableCount } from "./draft.ts";
import { words } from "../../i18n/words.ts";

/** The faults of a draft by field; the API checks all of it again. */
export type Faults = Partial<Record<string, string>>;

const MAX = { headerText: 60, body: 1024, footer: 60, label: 25 };

/** Checks what is seen while typing. Fields that are still empty count only when `isComplete` is asked for. */
export function faultsOf(draft: TemplateDraft, isComplete: boolean): Faults {
  const { fault, required } = words().newTemplate;
  const faults: Faults = {};
  const check = (field: string, value: string, ...rules: (string | undefined | false)[]) => {
    if (value.trim() === "") {
      if (isComplete) faults[field] = required;
      return;
    }
    const found = rules.find((rule) => rule);
    if (found) faults[field] = found;
  };
  check("name", draft.name, !/^[a-z0-9_]{1,512}$/.test(draft.name) && fault.name);
  check("language", draft.language, !/^[a-z]{2,3}(_[A-Z]{2,4})?$/.test(draft.language) && fault.language);
  if (draft.category === "AUTHENTICATION") {
    const minutes = Number(draft.codeMinutes);
    const isRight = Number.isInteger(minutes) && minutes >= 1 && minutes <= 90;
    if (draft.codeMinutes !== "" && !isRight) faults.codeMinutes = fault.minutes;
    return faults;
  }
  if (draft.header === "TEXT") {
    check(
      "headerText",
      draft.headerText,
      tooLong(draft.headerText, MAX.headerText),
      variableCount(draft.headerText) > 1 && fault.headerVariable,
    );
  } else if (draft.header !== "NONE") {
    check(
      "headerSample",
      draft.headerSample,
      !/^(https:\/\/\S+|media:\S+)$/.test(draft.headerSample) && fault.sample,
    );
  }
  check("body", draft.body, tooLong(draft.body, MAX.body), variableFault(draft.body));
  if (draft.footer !== "") {
    check(
      "footer",
      draft.footer,
      tooLong(draft.footer, MAX.footer),
      /[{}]/.test(draft.footer) && fault.noVariables,
    );
  }
  draft.buttons.forEach(({ type, text, url }, index) => {
    if (type !== "COPY_CODE") {
      check(
        `button ${index} text`,
        text,
        tooLong(text, MAX.label),
        /[{}]/.test(text) && fault.noVariables,
      );
    }
    if (type === "URL") {
      const base = url.replace(/\{1\}$/, "");
      check(`button ${index} url`, url, (!/^https?:\/\/\S+$/.test(base) || /[{}]/.test(base)) && fault.url);
    }
  });
  return faults;
}

function tooLong(text: string, max: number): string | undefined {
  const length = [...text].length;
  return length > max ? words().newTemplate.fault.long(String(length), String(max)) : undefined;
}

/** The rules of the platform about variables in a body. */
function variableFault(text: string): string | undefined {
  const { fault } = words().newTemplate;
  const variable = /\{\d{1,2}\}/g;
  if (/[{}]/.test(text.replaceAll(/\{\{?\d{1,2}\}\}?/g, ""))) return fault.brace;
  const numbers = [
    ...new Set(Array.from(text.matchAll(/\{?\{(\d{1,2})\}\}?/g), ([, number]) => Number(number))),
  ];
  if (numbers.some((number, index) => number !== index + 1)) return fault.numbers;
  const between = text.replaceAll(/\{\{(\d{1,2})\}\}/g, "{$1}").split(variable).map((part) => part.trim());
  if (numbers.length > 0 && (between[0] === "" || between.at(-1) === "")) return fault.edges;
  return between.slice(1, -1).includes("") ? fault.between : undefined;
}

/** Returns what to do about a field that the API refuses. */
export function refusedField(field: string): string {
  const { refused } = words().newTemplate;
  return refused[field.replace(/^button \d+ /, "button_")] ?? refused.other!;
}

/** The field of the form that a field of the API is typed in. */
export function fieldOf(apiField: string): string {
  const [, index, part] = /^components_template\.BUTTONS\[(\d+)\]\.?(\w*)/.exec(apiField) ?? [];
  if (index !== undefined) return `button ${index} ${part === "url" ? "url" : "text"}`;
  const found = Object.entries({
    name_template: "name",
    language_template: "language",
    waba_id: "wabaId",
    "components_template.HEADER.text": "headerText",
    "components_template.HEADER.example": "headerSample",
    "components_template.BODY": "body",
    "components_template.FOOTER": "footer",
  }).find(([prefix]) => apiField.startsWith(prefix));
  return found?.[1] ?? "";
}
