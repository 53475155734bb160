const OFFICE = "application/vnd.openxmlformats-officedocument";

/** The media types of files by the ends of their names. */
export const CONTENT_TYPES: Record<string, string> = {
  ".3gp": "video/3gpp",
  ".aac": "audio/aac",
  ".amr": "audio/amr",
  ".csv": "text/csv",
  ".doc": "application/msword",
  ".docx": `${OFFICE}.wordprocessingml.document`,
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".ndjson": "application/x-ndjson",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".pptx": `${OFFICE}.presentationml.presentation`,
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".xlsx": `${OFFICE}.spreadsheetml.sheet`,
};
