import { getOpenApiMetadata } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import type { Tool } from "./tool.ts";

const companyArgument = {
  company_id: z.guid().openapi({ description: "The company that the tool is about" }),
};

/**
 * Returns tools as the protocol lists them, with the JSON Schemas of what they take and return.
 *
 * @param options `needsCompany`: each use has to name its company
 */
export function listTools(tools: Tool[], { needsCompany }: { needsCompany: boolean }): ListedTool[] {
  const listed = needsCompany ? listedWithCompany : listedAlone;
  return tools.map((tool) => {
    const known = listed.get(tool) ?? describeTool(tool, needsCompany ? companyArgument : {});
    listed.set(tool, known);
    return known;
  });
}

/** Made once: a schema costs half a millisecond. */
const listedAlone = new Map<Tool, ListedTool>();
const listedWithCompany = new Map<Tool, ListedTool>();

function describeTool(
  { name, title, description, hints, input, output }: Tool,
  more: z.ZodRawShape,
): ListedTool {
  return {
    name,
    title,
    description,
    annotations: { title, ...hints },
    inputSchema: schemaOf(input.extend(more), "input"),
    outputSchema: schemaOf(output.extend({ notice: z.string() }), "output"),
  };
}

/** Returns the JSON Schema of a zod schema, with the descriptions of the API document. */
function schemaOf(schema: z.ZodObject, io: "input" | "output"): ListedTool["inputSchema"] {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const { description, type } = getOpenApiMetadata(zodSchema as unknown as z.ZodType);
      if (description !== undefined) jsonSchema.description = description;
      // Of a form that only a function checks, zod knows nothing.
      if (zodSchema._zod.def.type === "custom" && type !== undefined) jsonSchema.type = type as "object";
      // An agent reads every character, and the format says it.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return described as ListedTool["inputSchema"];
}
