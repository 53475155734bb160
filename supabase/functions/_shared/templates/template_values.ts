import { z } from "@hono/zod-openapi";
import { templateValues } from "./build_message.ts";
import { type ParameterFormat, templateComponentSchema } from "./template.ts";
import { kindOfValue, VALUE_KINDS } from "./value_names.ts";

/** A value that a message may supply, for the API document. */
export const templateValueSchema = z.object({
  name: z.string(),
  required: z.boolean(),
  expects: z.string().openapi({ description: "What to supply, in words" }),
  example: z.string().openapi({ description: "The template's own, or one of this kind" }),
}).openapi("TemplateValue");

/** Describes the values of a template as it is stored, in the order of its parts. */
export function describeValues(
  template: { components: unknown; parameterFormat: ParameterFormat },
): z.infer<typeof templateValueSchema>[] {
  const components = z.array(templateComponentSchema).parse(template.components);
  return templateValues({ ...template, components }).map(({ name, isRequired, example }) => {
    const rules = VALUE_KINDS[kindOfValue(name) ?? "text"];
    return { name, required: isRequired, expects: rules.expects, example: example ?? rules.example };
  });
}
