/** Label that opts an object in; its value must be exactly `true` (PRODUCT.md, "What a user writes"). */
export const enabledLabel = "apisix-translator.io/enabled";
/** Annotation that holds the declarations, as JSON text. */
export const routesAnnotation = "apisix-translator.io/routes";
/** Annotation that freezes an object's routes while its value is exactly `true`. */
export const pausedAnnotation = "apisix-translator.io/paused";
