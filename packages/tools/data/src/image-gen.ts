import { defineTool, isKernelError, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { Images } from './image/open-images.ts';

const documentation = `Makes one picture from a description and stores it as an artifact. Describe what is in it, its style and its colours.
"shape" is square, landscape or portrait. The tokens of the model count towards the budgets of the run.`;

/** Creates the tool `image_gen`. */
export function createImageGen(images: Images): Tool {
  const { provider, model, host, reservedTokens } = images;
  return defineTool({
    name: 'image_gen',
    description: 'Makes a picture from a description',
    promptHint: 'image_gen makes pictures.',
    documentation: () => documentation,
    // The operator chose the service that gets the description, and budgets limit what it costs.
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: {
          type: 'string',
          minLength: 1,
          maxLength: 8_000,
          pattern: '\\S',
          description: 'What the picture shows',
        },
        shape: { enum: ['square', 'landscape', 'portrait'], default: 'square', description: 'Proportions' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        artifact: { type: 'string', description: 'The picture' },
        mediaType: { type: 'string' },
        bytes: { type: 'integer' },
      },
      required: ['artifact', 'mediaType', 'bytes'],
    },
    classifyRisk: ({ prompt }) => ({
      risk: 'safe',
      summary: `Ask ${host} for a picture: ${prompt.length > 300 ? `${prompt.slice(0, 300)}…` : prompt}`,
    }),
    async execute({ prompt, shape = 'square' }, context) {
      const planned = { inputTokens: Math.ceil(prompt.length / 2), outputTokens: reservedTokens };
      const reservation = await context.reserveModel({ provider, model, usage: planned });
      try {
        const { bytes, mediaType, usage } = await images.make({ prompt, shape }, context.signal);
        // Without counts of the service, the estimate counts.
        reservation.settle({ provider, model, usage: usage ?? planned });
        const ref = await context.storeArtifact(bytes, mediaType, {
          name: `picture.${mediaType.slice('image/'.length)}`,
        });
        return {
          content: [
            textBlock(`The picture is artifact ${ref} (${mediaType}, ${bytes.byteLength} bytes).`),
            { type: 'image', mediaType, source: { kind: 'blob', ref } },
          ],
          isError: false,
          structuredContent: { artifact: ref, mediaType, bytes: bytes.byteLength },
        };
      } catch (error) {
        // Only the first call counts, so this changes nothing after a picture.
        reservation.settle({ provider, model, errorCode: isKernelError(error) ? error.code : 'E_TOOL_FAILED' });
        throw error;
      }
    },
  });
}
