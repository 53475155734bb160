import { z } from "@hono/zod-openapi";
import { templateValues } from "../../templates/build_message.ts";
import { templateComponentSchema } from "../../templates/template.ts";
import { kindOfValue, VALUE_KIND_NAMES, VALUE_KINDS } from "../../templates/value_names.ts";

/** A value that a template takes. */
export const templateValueSchema = z.object({
  name: z.string(),
  required: z.boolean(),
  kind: z.enum(VALUE_KIND_NAMES).openapi({ description: "What to supply" }),
  expects: z.string().openapi({ description: "`kind` in words" }),
  example: z.string().openapi({ description: "The template's own, or one of this kind" }),
}).openapi("TemplateValue");

/** Returns every value that a template takes, with what to supply. */
export function valuesOf(
  template: { components: unknown; parameter_format: "POSITIONAL" | "NAMED" },
): z.infer<typeof templateValueSchema>[] {
  const components = z.array(templateComponentSchema).parse(template.components);
  return templateValues({ ...template, components }).map(({ name, isRequired, example }) => {
    const kind = kindOfValue(name) ?? "text";
    const rules = VALUE_KINDS[kind];
    return { name, required: isRequired, kind, expects: rules.expects, example: example ?? rules.example };
  });
}
