import { z } from "zod";

/** One button of a template. Kinds we do not know are kept whole. */
export const templateButtonSchema = z.looseObject({
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

/** A message template as we keep it: the platform's definition beside our own id and state. */
export const templateSchema = z.object({
  id: z.string(),
  wabaId: z.string(),
  providerTemplateId: z.string().nullable(),
  name: z.string(),
  /** As the platform writes it, `es` or `en_US`. */
  language: z.string(),
  category: z.string(),
  /** `pending`, `approved`, `rejected`, `disabled`, or a state of the platform we do not know. */
  status: z.string(),
  parameterFormat: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(templateComponentSchema),
});

export type TemplateButton = z.infer<typeof templateButtonSchema>;
export type TemplateComponent = z.infer<typeof templateComponentSchema>;
export type Template = z.infer<typeof templateSchema>;
export type ParameterFormat = Template["parameterFormat"];
