import type { ParameterFormat } from "../template.ts";
import { findComponent, textVariables } from "../template_texts.ts";
import { oneLine, type PartSource, type TemplatePart } from "./template_part.ts";

/** Returns the body of a template, or of a card, if it takes values: `body_text_<N>`. */
export function bodyPart({ components, parameterFormat, prefix }: PartSource): TemplatePart[] {
  const body = findComponent(components, "BODY");
  const variables = textVariables(body?.text ?? "", parameterFormat)
    .map(({ variable, number }) => ({ variable, name: `${prefix}body_text_${number}` }));
  if (variables.length === 0) return [];
  const isNamed = parameterFormat === "NAMED";
  return [{
    values: variables.map(({ variable, name }, index) => ({
      name,
      isRequired: true,
      example: bodyExample(body?.example, { variable, index, parameterFormat }),
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
  { variable, index, parameterFormat }: { variable: string; index: number; parameterFormat: ParameterFormat },
): string | undefined {
  const { body_text, body_text_named_params: named } = Object(example);
  const found = parameterFormat === "NAMED"
    ? Array.isArray(named) ? named.find((each) => Object(each).param_name === variable)?.example : undefined
    : body_text?.[0]?.[index];
  return typeof found === "string" ? found : undefined;
}
