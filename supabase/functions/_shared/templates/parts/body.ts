import type { ParameterFormat } from "../template.ts";
import { findComponent, textVariables } from "../template_texts.ts";
import { oneLine, type PartSource, type TemplatePart } from "./template_part.ts";

/** Returns the body of a template, or of a card, if it takes values: `body_text_<N>`. */
export function bodyPart({ components, parameter_format, prefix }: PartSource): TemplatePart[] {
  const body = findComponent(components, "BODY");
  const variables = textVariables(body?.text ?? "", parameter_format)
    .map(({ variable, number }) => ({ variable, name: `${prefix}body_text_${number}` }));
  if (variables.length === 0) return [];
  const isNamed = parameter_format === "NAMED";
  return [{
    values: variables.map(({ variable, name }, index) => ({
      name,
      isRequired: true,
      example: bodyExample(body?.example, { variable, index, parameter_format }),
    })),
    build: (values) => [{
      type: "body",
      parameters: variables.map(({ variable, name }) => ({
        type: "text",
        text: oneLine(values[name]!),
        ...(isNamed && { parameter_name: variable }),
      })),
    }],
  }];
}

function bodyExample(
  example: unknown,
  { variable, index, parameter_format }: {
    variable: string;
    index: number;
    parameter_format: ParameterFormat;
  },
): string | undefined {
  const { body_text, body_text_named_params: named } = Object(example);
  const found = parameter_format === "NAMED"
    ? Array.isArray(named) ? named.find((each) => Object(each).param_name === variable)?.example : undefined
    : body_text?.[0]?.[index];
  return typeof found === "string" ? found : undefined;
}
