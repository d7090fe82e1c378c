"""The API reference: the OpenAPI document as a page that loads nothing from elsewhere."""
