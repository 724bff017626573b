// Shows the OpenAPI document; all files come from this server.
"use strict";

SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true, defaultModelsExpandDepth: 0, validatorUrl: null });
