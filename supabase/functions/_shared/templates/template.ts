import { z } from "zod";

/** One button of a template. Kinds we do not know are kept whole. */
const templateButtonSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
});

/** One part of a template in the platform's own shape. Kinds and fields we do not know are kept whole. */
export const templateComponentSchema = z.looseObject({
  type: z.string(),
  format: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  buttons: z.array(templateButtonSchema).optional().catch(undefined),
});

export type TemplateButton = z.infer<typeof templateButtonSchema>;
export type TemplateComponent = z.infer<typeof templateComponentSchema>;

/** How a template's variables are written: `{{1}}` or `{{first_name}}`. */
export type ParameterFormat = "POSITIONAL" | "NAMED";
