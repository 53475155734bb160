import fc from "fast-check";

/** A `components_template` that keeps every rule, and what a message made of it must supply. */
export interface ValidComponents {
  components: Record<string, unknown>;
  /** Different ones in the body. */
  variables: number;
  /** The format of the media header, if there is one. */
  media: ("IMAGE" | "VIDEO" | "DOCUMENT")[];
  /** Buttons whose URL ends in a variable. */
  links: number;
}

/** Words without braces, never only spaces. */
const words = (most: number) =>
  fc.string({ minLength: 1, maxLength: most, unit: "grapheme" }).map((text) =>
    text.replaceAll(/[{}\0\r\n]/g, "-").toWellFormed()
  ).filter((text) => text.trim() !== "" && [...text].length <= most);

const body = fc.record({
  between: fc.array(words(20), { minLength: 1, maxLength: 12 }),
  double: fc.boolean(),
  repeated: fc.boolean(),
}).map(({ between, double, repeated }) => {
  const variables = between.length - 1;
  const write = (number: number) => double ? `{{${number}}}` : `{${number}}`;
  const text = between.map((part, index) => index === 0 ? part : `${write(index)} ${part}`).join("");
  return { text: repeated && variables > 0 ? `${text} ${write(1)} again` : text, variables };
});

const header = fc.oneof(
  fc.constant(undefined),
  words(60).map((text) => ({ format: "TEXT" as const, text })),
  fc.constantFrom("IMAGE" as const, "VIDEO" as const, "DOCUMENT" as const).map((format) => ({
    format,
    example: { header_handle: ["4::c2FtcGxl:ARZ"] },
  })),
);

const link = fc.record({ text: words(25), variable: fc.boolean(), double: fc.boolean() }).map((
  { text, variable, double },
) => ({
  type: "URL",
  text,
  url: `https://example.com/${variable ? (double ? "{{1}}" : "{1}") : ""}`,
}));

const reply = words(25).map((text) => ({ type: "QUICK_REPLY", text }));

const buttons = fc.record({
  before: fc.array(link, { maxLength: 1 }),
  replies: fc.array(reply, { maxLength: 8 }),
  after: fc.array(link, { maxLength: 1 }),
}).map(({ before, replies, after }) => [...before, ...replies, ...after]);

/** Any valid template of category MARKETING or UTILITY. */
export const validComponents: fc.Arbitrary<ValidComponents> = fc.record({
  header,
  body,
  footer: fc.option(words(60), { nil: undefined }),
  buttons,
}).map(({ header, body: { text, variables }, footer, buttons }) => ({
  components: {
    ...(header && { HEADER: header }),
    BODY: { text },
    ...(footer !== undefined && { FOOTER: { text: footer } }),
    ...(buttons.length > 0 && { BUTTONS: buttons }),
  },
  variables,
  media: header === undefined || header.format === "TEXT" ? [] : [header.format],
  links: buttons.filter((button) => JSON.stringify(button).includes("1}")).length,
}));
